-- `:SimtRestart`: a new server for the buffers that had one, and for this one if its server has died.

local client = require('simt.client')

local GROUP = vim.fn.has('nvim-0.11') == 1 and 'nvim.lsp.enable' or 'simt'
local PATIENCE_MS = 3000

--- Neovim 0.12 draws the lenses of a client that is gone, and fails; those of a client without lenses it does not.
---@param server vim.lsp.Client
local function stop(server)
  if vim.fn.has('nvim-0.12') == 1 then
    vim.lsp.codelens.enable(false, { client_id = server.id })
  end
  client.stop(server)
end

return function()
  local buffers = { [vim.api.nvim_get_current_buf()] = true }
  for _, server in ipairs(vim.lsp.get_clients({ name = 'simt_lsp' })) do
    buffers = vim.tbl_extend('force', buffers, server.attached_buffers)
    stop(server)
  end
  local ended = vim.wait(PATIENCE_MS, function()
    return #vim.lsp.get_clients({ name = 'simt_lsp' }) == 0
  end, 20)
  if not ended then
    client.complain('the old server does not end; :checkhealth simt may tell why')
    return
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    once = true,
    desc = 'simt: the server runs again',
    callback = function()
      vim.notify('simt: the server runs again', vim.log.levels.INFO)
    end,
  })
  for bufnr in pairs(buffers) do
    vim.api.nvim_exec_autocmds('FileType', { group = GROUP, buffer = bufnr, modeline = false })
  end
end
