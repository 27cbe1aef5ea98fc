-- The line above each kernel. Neovim 0.12 keeps it up to date; earlier versions have to be told when to ask.

local options = require('simt.options')

local M = {}

local KEEPS_THEM = vim.fn.has('nvim-0.12') == 1

---@param bufnr integer
function M.show(bufnr)
  if KEEPS_THEM then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = vim.api.nvim_create_augroup('simt.lens.' .. bufnr, {}),
    buffer = bufnr,
    desc = 'simt: the line above each kernel',
    callback = function()
      M.refresh(bufnr)
    end,
  })
  M.refresh(bufnr)
end

--- They may say something else now: the text has changed, or a simulation has come further.
---@param bufnr integer
function M.refresh(bufnr)
  if options.current.code_lens and not KEEPS_THEM then
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end
end

return M
