-- `:checkhealth simt`: why does it not work?

local options = require('simt.options')

local M = {}

---@return string[]? cmd how the server is started; nil when no table says so
local function command()
  if options.current.cmd then
    return options.current.cmd
  end
  if vim.fn.has('nvim-0.11') == 1 then
    local cmd = vim.lsp.config.simt_lsp.cmd
    return type(cmd) == 'table' and cmd or nil
  end
  return dofile(vim.api.nvim_get_runtime_file('lsp/simt_lsp.lua', false)[1]).cmd
end

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok(('Neovim %s; the server is configured by vim.lsp.config'):format(version))
  elseif vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(('Neovim %s; the server is started by the plugin'):format(version))
  else
    vim.health.error(('Neovim %s is too old'):format(version), { 'Install Neovim 0.10 or newer.' })
  end
end

---@param program string
---@return string? path
local function check_program(program)
  local path = vim.fn.exepath(program)
  if path == '' then
    vim.health.error(('`%s` is not on the PATH that Neovim sees'):format(program), {
      'Install the server as the README of the project says.',
      "Or name its place: require('simt').setup({ cmd = { '/path/to/simt-lsp', '--stdio' } })",
    })
    return nil
  end
  local ran, answer = pcall(function()
    return vim.system({ path, '--version' }, { text = true, timeout = 10000 }):wait()
  end)
  if not ran or answer.code ~= 0 then
    local reason = ran and vim.trim(answer.stderr or '') or tostring(answer)
    vim.health.error(('`%s --version` fails: %s'):format(path, reason), { 'Install the server again.' })
    return nil
  end
  vim.health.ok(('%s: %s'):format(path, vim.trim(answer.stdout)))
  return path
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'simt_lsp' })
  if #clients == 0 then
    vim.health.info('No server runs: it starts with the first .cu, .cuh or .hip file')
    return
  end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    vim.health.ok(
      ('Server %d runs for %d buffer%s, root %s'):format(
        client.id,
        buffers,
        buffers == 1 and '' or 's',
        client.config.root_dir or 'none: a single file'
      )
    )
    M.check_simulator(client)
  end
end

---@param client vim.lsp.Client
function M.check_simulator(client)
  local bufnr = next(client.attached_buffers)
  local method = 'simt/status'
  local answer
  if vim.fn.has('nvim-0.11') == 1 then
    answer = client:request_sync(method, {}, 2000, bufnr)
  else
    answer = client.request_sync(method, {}, 2000, bufnr)
  end
  if not answer or answer.err then
    vim.health.error('The server does not answer', { 'Look into :lua vim.cmd.edit(vim.lsp.get_log_path())' })
  elseif answer.result.simulator.state == 'unavailable' then
    vim.health.warn('Kernels cannot be simulated: ' .. answer.result.simulator.message)
  else
    vim.health.ok('Kernels can be simulated')
  end
end

function M.check()
  vim.health.start('simt')
  check_neovim()
  local cmd = command()
  if not cmd then
    vim.health.info('The server is started by a function of yours')
  else
    check_program(cmd[1])
  end
  check_clients()
end

return M
