-- What a buffer gets when the server looks at it: commands, hints, lenses, the command that a lens runs.

local options = require('simt.options')

---@param bufnr integer
local function show_lenses(bufnr)
  if vim.fn.has('nvim-0.12') == 1 then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  local function refresh()
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = vim.api.nvim_create_augroup('simt.lens.' .. bufnr, {}),
    buffer = bufnr,
    desc = 'simt: the line above each kernel',
    callback = refresh,
  })
  refresh()
end

---@param client vim.lsp.Client
---@param bufnr integer
return function(client, bufnr)
  -- The lens "Simulate" is shown like the command: in a window, not only as a message.
  client.commands['simt.simulate'] = function(command, context)
    require('simt.simulate').run(context.bufnr, command.arguments[1])
  end
  require('simt.commands').define(bufnr)
  if options.current.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if options.current.code_lens then
    show_lenses(bufnr)
  end
end
