-- `:SimtCfg`: the control flow of the function at the cursor, as a picture or as the text of one.

local client = require('simt.client')

local M = {}

M.FORMATS = { 'svg', 'dot', 'mermaid' }

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
      require('simt.window').scratch(vim.split(graph.content, '\n'), format)
    end
  end)
end

return M
