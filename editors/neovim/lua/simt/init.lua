-- The plugin's one function; everything else is started by plugin/simt.lua.  `:help simt`.

local M = {}

--- Optional: without it the defaults of lua/simt/options.lua hold.
---@param given? simt.Options
function M.setup(given)
  require('simt.options').set(given or {})
end

return M
