-- `:SimtExplain` and `:SimtExplainExactly`: everything the analysis can say about the line of the cursor, and why.

local client = require('simt.client')
local window = require('simt.window')

local M = {}

---@param more table what is asked besides
---@param show fun(lines: string[])
local function ask(more, show)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  local params = vim.tbl_extend('error', client.position(server), more)
  client.request(server, bufnr, 'simt/explain', params, function(answer)
    if not answer then
      client.complain('this buffer is not CUDA')
      return
    end
    show(vim.split(vim.trim(answer.text), '\n'))
  end)
end

--- Beside the cursor.
function M.here()
  ask({}, function(lines)
    window.beside_cursor(lines, 'simt.explain')
  end)
end

--- What holds on all paths of two threads is long, and read beside the code: in a buffer that nothing is written to.
function M.exactly()
  ask({ exact = true }, function(lines)
    window.scratch(lines, 'simt-explanation')
  end)
end

return M
