-- `:SimtExplain`: everything the analysis can say about the line of the cursor, and why.

local client = require('simt.client')
local window = require('simt.window')

return function()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.of(bufnr)
  if not server then
    return
  end
  client.request(server, bufnr, 'simt/explain', client.position(server), function(answer)
    if not answer then
      client.complain('this buffer is not CUDA')
      return
    end
    window.beside_cursor(vim.split(vim.trim(answer.text), '\n'), 'simt.explain')
  end)
end
