-- `:SimtSimd`: the kernel of the cursor as vector operations under masks, beside the source; `<CR>` goes to the source.

local client = require('simt.client')
local window = require('simt.window')

local M = {}

---@class simt.SimdLine
---@field depth integer
---@field code string
---@field target? string
---@field mask? string
---@field source_path? string
---@field source_line? integer from 1

---@param line simt.SimdLine
---@return string
local function written(line)
  local guard = type(line.mask) == 'string' and ('(%s) '):format(line.mask) or ''
  local target = type(line.target) == 'string' and line.target .. ' = ' or ''
  return ('    '):rep(line.depth) .. guard .. target .. line.code
end

---@param source integer window
---@param line? simt.SimdLine
local function go_to(source, line)
  if not line or type(line.source_line) ~= 'number' or not vim.api.nvim_win_is_valid(source) then
    return
  end
  vim.api.nvim_set_current_win(source)
  if type(line.source_path) == 'string' then
    vim.cmd.edit(vim.fn.fnameescape(line.source_path))
  end
  vim.api.nvim_win_set_cursor(source, { line.source_line, 0 })
end

function M.show()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  client.request(server, bufnr, 'simt/simdView', client.position(server), function(view)
    if not view then
      client.complain('the cursor is not in a kernel')
      return
    end
    if type(view.lines) ~= 'table' then
      client.complain(vim.trim(view.text))
      return
    end
    local source = vim.api.nvim_get_current_win()
    window.scratch(vim.tbl_map(written, view.lines), 'simt-simd', 'vertical')
    vim.keymap.set('n', '<CR>', function()
      go_to(source, view.lines[vim.api.nvim_win_get_cursor(0)[1]])
    end, { buffer = 0, desc = 'simt: go to the source of this line' })
  end)
end

return M
