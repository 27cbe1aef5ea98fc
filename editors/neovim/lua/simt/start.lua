-- How the server comes to the buffers: by `vim.lsp.enable` (0.11 and later), or by hand as 0.10 needs it.

local options = require('simt.options')

---@return table<string, any> what the user's options change in the table of lsp/simt_lsp.lua
local function chosen()
  local settings = options.current.settings
  return { cmd = options.current.cmd, settings = settings and { ['simt-lsp'] = settings } }
end

local function enable()
  vim.lsp.config('simt_lsp', chosen())
  vim.lsp.enable('simt_lsp')
end

---@param config table<string, any>
---@param bufnr integer
local function start(config, bufnr)
  local root = vim.fs.root(bufnr, config.root_markers) or vim.uv.cwd()
  vim.lsp.start(vim.tbl_extend('error', config, { name = 'simt_lsp', root_dir = root }), { bufnr = bufnr })
end

local function start_by_hand()
  local path = vim.api.nvim_get_runtime_file('lsp/simt_lsp.lua', false)[1]
  local config = vim.tbl_deep_extend('force', dofile(path), chosen())
  config.capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), config.capabilities)
  vim.api.nvim_create_autocmd('FileType', {
    group = 'simt',
    pattern = config.filetypes,
    desc = 'simt: start the server',
    callback = function(event)
      start(config, event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype) then
      start(config, bufnr)
    end
  end
end

return vim.fn.has('nvim-0.11') == 1 and enable or start_by_hand
