-- Pictures and pages that a terminal cannot show: written to a temporary file, opened by the system.

local M = {}

---@param content string
---@param extension string
function M.open(content, extension)
  local path = ('%s.%s'):format(vim.fn.tempname(), extension)
  local file = assert(io.open(path, 'w'))
  file:write(content)
  file:close()
  local _, problem = vim.ui.open(path)
  if problem then
    vim.notify(('simt: %s cannot be opened: %s'):format(path, problem), vim.log.levels.WARN)
  end
end

return M
