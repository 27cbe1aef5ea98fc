-- What Neovim 0.11 and later need to know of the server; read by `vim.lsp.config`.
-- Neovim 0.10 gets the same table through lua/simt/start.lua.

---@type vim.lsp.Config
return {
  cmd = { 'simt-lsp', '--stdio' },
  filetypes = { 'cuda' },
  root_markers = { '.simt.toml', 'compile_commands.json', '.git' },
  capabilities = { experimental = { simtSimulation = true, simtMeldPreview = true } },
  handlers = {
    ['simt/simulation'] = function(_, simulation)
      require('simt.decorations').show(simulation)
    end,
  },
}
