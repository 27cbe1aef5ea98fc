-- What a user can choose, with defaults; a wrong name or type is an error that names it.

---@class simt.Options
---@field cmd? string[] how the server is started
---@field settings? table<string, any> the server's settings, as in docs/configuration.md, e.g. { warpSize = 64 }
---@field inlay_hints? boolean show inlay hints in buffers of the server
---@field code_lens? boolean show the line above each kernel
---@field decorations? boolean after a simulation, say behind the lines what ran there
---@field border? string|string[] of floating windows, as in |nvim_open_win()|

local M = {}

---@type simt.Options
M.current = { inlay_hints = true, code_lens = true, decorations = true, border = 'rounded' }

---@type table<string, string[]>
local TYPES = {
  cmd = { 'table' },
  settings = { 'table' },
  inlay_hints = { 'boolean' },
  code_lens = { 'boolean' },
  decorations = { 'boolean' },
  border = { 'string', 'table' },
}

---@param given simt.Options
function M.set(given)
  for name, value in pairs(given) do
    local types = TYPES[name]
    if not types then
      local known = vim.tbl_keys(TYPES)
      table.sort(known)
      error(('simt: there is no option %q; there are: %s'):format(name, table.concat(known, ', ')), 3)
    end
    if not vim.tbl_contains(types, type(value)) then
      error(('simt: option %s is a %s, not a %s'):format(name, table.concat(types, ' or '), type(value)), 3)
    end
  end
  if given.cmd and not (vim.islist(given.cmd) and type(given.cmd[1]) == 'string') then
    error("simt: option cmd is a list, e.g. { 'simt-lsp', '--stdio' }", 3)
  end
  M.current = vim.tbl_extend('force', M.current, given)
end

return M
