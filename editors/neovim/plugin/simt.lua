-- Starts the server for CUDA files and gives their buffers commands.  `require('simt').setup` is optional.

if vim.g.loaded_simt then
  return
end
vim.g.loaded_simt = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('simt: Neovim 0.10 or newer is needed; without it, see the docs for other editors', vim.log.levels.ERROR)
  return
end

vim.filetype.add({ extension = { hip = 'cuda' } })
require('simt.highlights').define()

local group = vim.api.nvim_create_augroup('simt', {})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'simt: commands and hints for buffers that the server looks at',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'simt_lsp' then
      require('simt.attach')(client, event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = group,
  desc = 'simt: simulations and what they left end with their buffer, or with the server',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'simt_lsp' then
      require('simt.simulate').detach(event.buf)
      require('simt.decorations').detach(event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('LspProgress', {
  group = group,
  desc = 'simt: how far a simulation is',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'simt_lsp' then
      require('simt.progress').show(event.data.params)
    end
  end,
})

-- Not now: a plugin manager calls `setup` right after this file, and what it says must be known first.
vim.schedule(function()
  require('simt.start')()
end)
