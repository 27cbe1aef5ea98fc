-- What ran in a line, behind that line: how many lanes were active, where warps split, what memory cost.
-- The server says so after each simulation, while one that takes long goes on, and again, with nothing in it, when the
-- text no longer is what ran.

local options = require('simt.options')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('simt.decorations')
local BARS = { '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█' }

---@class simt.Line what the server says of one line, see docs/protocol.md
---@field line integer from 0
---@field executed integer
---@field diverged integer
---@field simdEfficiency number
---@field sectors integer
---@field idealSectors integer
---@field bankConflicts integer

---@param efficiency number
---@return string group
local function tone(efficiency)
  if efficiency >= 0.9 then
    return 'SimtGood'
  end
  return efficiency >= 0.5 and 'SimtWarning' or 'SimtBad'
end

---@param line simt.Line
---@return string[][] words with their highlight groups; none where all lanes worked and memory cost no more than it must
local function words(line)
  local found = {}
  if line.simdEfficiency < 1 then
    table.insert(found, { ('%.0f %% of lanes'):format(100 * line.simdEfficiency), 'SimtMuted' })
  end
  if line.diverged > 0 then
    table.insert(found, { ('split %d of %d times'):format(line.diverged, line.executed), 'SimtWarning' })
  end
  if line.sectors > line.idealSectors then
    local text = ('%d sectors, %d would do'):format(line.sectors, line.idealSectors)
    table.insert(found, { text, line.sectors >= 2 * line.idealSectors and 'SimtWarning' or 'SimtMuted' })
  end
  if line.bankConflicts > 0 then
    table.insert(found, { ('%d bank conflicts'):format(line.bankConflicts), 'SimtWarning' })
  end
  return found
end

---@param line simt.Line
---@return string[][] chunks for |nvim_buf_set_extmark()|: a bar as full as the warps were, then the words
local function chunks(line)
  local bar = BARS[math.max(1, math.ceil(line.simdEfficiency * #BARS))]
  local found = { { '  ' .. bar, tone(line.simdEfficiency) } }
  for position, word in ipairs(words(line)) do
    table.insert(found, { position == 1 and ' ' or ' · ', 'SimtMuted' })
    table.insert(found, word)
  end
  return found
end

--- The notification `simt/simulation`.
---@param simulation { uri: string, kernels: { lines: simt.Line[] }[] }
function M.show(simulation)
  local bufnr = vim.uri_to_bufnr(simulation.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  require('simt.lenses').refresh(bufnr)
  M.clear(bufnr)
  if not options.current.decorations then
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr)
  for _, kernel in ipairs(simulation.kernels) do
    for _, line in ipairs(kernel.lines) do
      -- The text may have grown shorter while the message was on its way.
      if line.line < last then
        vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, line.line, 0, { virt_text = chunks(line), hl_mode = 'combine' })
      end
    end
  end
end

---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
end

return M
