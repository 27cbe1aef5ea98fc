-- `:SimtSimulate`, and the lenses "Simulate" and "Simulate this launch": run the kernel of the cursor, or the one that is
-- launched there, and show the report.

local client = require('simt.client')
local window = require('simt.window')

local M = {}

M.FORMATS = { 'html', 'text' }

---@type table<string, { server: vim.lsp.Client, bufnr: integer, request: integer }> what runs, by its progress token
local running = {}
local started = 0

--- Now, or when nobody types: a window that opens over an insert takes the keys that were meant for the text.
---@param act fun()
local function undisturbed(act)
  local function free()
    return vim.api.nvim_get_mode().mode == 'n' and vim.fn.getcmdwintype() == ''
  end
  if free() then
    act()
    return
  end
  vim.api.nvim_create_autocmd('SafeState', {
    desc = 'simt: show the report that waits',
    callback = function()
      if free() then
        vim.schedule(act)
        return true
      end
    end,
  })
end

---@param kernel string
---@param report { stale: boolean, interim: boolean }
---@return string
local function title(kernel, report)
  if report.interim then
    return kernel .. ', so far'
  end
  return report.stale and kernel .. ', before it was changed' or kernel
end

--- Asks for the text of the last report on a kernel, and shows it.
---@param server vim.lsp.Client
---@param bufnr integer
---@param params table<string, any>
---@param missing? fun() called when there is none
local function show_text(server, bufnr, params, missing)
  local wanted = vim.tbl_extend('force', params, { format = 'text' })
  client.request(server, bufnr, 'simt/simulationReport', wanted, function(report)
    if report then
      window.in_the_middle(report.content, title(report.kernel, report))
    elseif missing then
      missing()
    end
  end)
end

--- Runs the command `simt.simulate` with the argument that docs/protocol.md describes.
---@param bufnr integer
---@param argument table<string, any>
function M.run(bufnr, argument)
  local server = client.of(bufnr)
  if not server then
    return
  end
  require('simt.decorations').expect(bufnr)
  -- Quiet: how it went says the report; a long message besides would have to be answered with ENTER first.
  local asked = vim.tbl_extend('force', argument, { quiet = true })
  started = started + 1
  local token = ('simt-simulation-%d'):format(started)
  local params = { command = 'simt.simulate', arguments = { asked }, workDoneToken = token }
  local request = client.request(server, bufnr, 'workspace/executeCommand', params, function(answer)
    if answer.status == 'finished' then
      require('simt.decorations').shown_in(server, bufnr, answer.uri)
      require('simt.lenses').refresh(bufnr) -- the one over a launch tells the result as well
      undisturbed(function()
        if vim.api.nvim_buf_is_loaded(bufnr) then
          local document = { uri = answer.uri }
          show_text(server, bufnr, { textDocument = document, kernel = answer.kernel, position = answer.position })
        end
      end)
    elseif answer.message then
      client.complain(answer.message)
    end
  end, function()
    running[token] = nil
  end)
  if request then
    running[token] = { server = server, bufnr = bufnr, request = request }
  end
end

---@param launch string as in a comment above a kernel: `grid=8 block=256 n=2048`; empty: chosen
function M.at_cursor(launch)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if server then
    local argument = client.position(server)
    argument.launchText = launch ~= '' and launch or nil
    M.run(bufnr, argument)
  end
end

---@param bufnr? integer all buffers unless given
---@return integer ended how many simulations were
local function stop(bufnr)
  local ended = 0
  for token, simulation in pairs(running) do
    if bufnr == nil or bufnr == simulation.bufnr then
      running[token] = nil
      require('simt.progress').forget(token)
      if client.lives(simulation.server) then
        client.cancel(simulation.server, simulation.request)
        ended = ended + 1
      end
    end
  end
  return ended
end

--- The server looks at a buffer no more, so nobody could see what comes of its simulations.
---@param bufnr integer
function M.detach(bufnr)
  stop(bufnr)
end

--- `:SimtCancel`: ends every simulation that runs, whatever buffer it belongs to.
function M.cancel()
  local ended = stop()
  if ended == 0 then
    client.complain('nothing is being simulated')
    return
  end
  local which = ended == 1 and 'the simulation was' or ('%d simulations were'):format(ended)
  vim.notify(('simt: %s ended'):format(which), vim.log.levels.INFO)
end

--- `:SimtReport`: the last report on the kernel of the cursor, as a page in the browser or in a window.
---@param format string one of `M.FORMATS`; '' is html
function M.report(format)
  format = format == '' and 'html' or format
  if not vim.tbl_contains(M.FORMATS, format) then
    client.complain(('%s is not a format; there are: %s'):format(format, table.concat(M.FORMATS, ', ')))
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  local function missing()
    client.complain('no kernel was simulated here; :SimtSimulate does')
  end
  if format == 'text' then
    show_text(server, bufnr, client.position(server), missing)
    return
  end
  client.request(server, bufnr, 'simt/simulationReport', client.position(server), function(report)
    if report then
      require('simt.files').open(report.content, 'html')
    else
      missing()
    end
  end)
end

return M
