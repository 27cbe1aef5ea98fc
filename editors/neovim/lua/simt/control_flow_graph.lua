-- `:SimtCfg`: the control flow of the function at the cursor, as a picture or as the text of one.

local client = require('simt.client')

local M = {}

M.FORMATS = { 'svg', 'dot', 'mermaid' }

---@param content string
---@param format string
local function show_text(content, format)
  vim.cmd.new()
  vim.bo.buftype = 'nofile'
  vim.bo.bufhidden = 'wipe'
  vim.bo.filetype = format
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(content, '\n'))
  vim.bo.modifiable = false
  vim.wo.wrap = false
end

---@param format string one of `M.FORMATS`; '' is svg
function M.show(format)
  format = format == '' and 'svg' or format
  if not vim.tbl_contains(M.FORMATS, format) then
    client.complain(('%s is not a format; there are: %s'):format(format, table.concat(M.FORMATS, ', ')))
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  local params = vim.tbl_extend('error', client.position(server), { format = format })
  client.request(server, bufnr, 'simt/controlFlowGraph', params, function(graph)
    if not graph then
      client.complain('the cursor is not in a kernel or device function')
    elseif format == 'svg' then
      require('simt.files').open(graph.content, format)
    else
      show_text(graph.content, format)
    end
  end)
end

return M
