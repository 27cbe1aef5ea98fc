-- What ran in a line, behind that line: how many lanes were active, where warps split, what memory cost.
-- The server says so after each simulation, while one that takes long goes on, and again, with nothing in it, when the
-- text no longer is what ran.

local options = require('simt.options')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('simt.decorations')
-- Below that of diagnostics: a long finding behind the same line must not push these off the screen.
local PRIORITY = 100
-- Active lanes from here on are no loss worth a bar.
local CALM = 0.95
local BARS = { '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█' }

---@class simt.Line what the server says of one line, see docs/protocol.md
---@field line integer from 0
---@field executed integer
---@field diverged integer
---@field simdEfficiency number
---@field sectors integer
---@field idealSectors integer
---@field bankConflicts integer

---@class simt.Branch
---@field position { line: integer }
---@field executed integer of `a && b`, both

---@type table<integer, true> buffers in which nothing is shown until the next simulation
local cleared = {}

---@param number integer
---@return string such as `18,432`
local function grouped(number)
  local text = ('%d'):format(number):reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (text:gsub('^,', ''))
end

---@param efficiency number
---@return string group
local function tone(efficiency)
  if efficiency >= 0.9 then
    return 'SimtGood'
  end
  return efficiency >= 0.5 and 'SimtWarning' or 'SimtBad'
end

---@param line simt.Line
---@param chances integer how often warps could have split in it
---@return string[][] words with their groups; none where all lanes worked and memory cost no more than it must
local function words(line, chances)
  local found = {}
  if line.simdEfficiency < 0.995 then
    table.insert(found, { ('%.0f %% of lanes'):format(100 * line.simdEfficiency), 'SimtMuted' })
  end
  if line.diverged > 0 then
    table.insert(found, { ('split %s of %s times'):format(grouped(line.diverged), grouped(chances)), 'SimtWarning' })
  end
  if line.sectors > line.idealSectors then
    local text = ('%s sectors, %s would do'):format(grouped(line.sectors), grouped(line.idealSectors))
    table.insert(found, { text, line.sectors >= 2 * line.idealSectors and 'SimtWarning' or 'SimtMuted' })
  end
  if line.bankConflicts > 0 then
    local plural = line.bankConflicts == 1 and '' or 's'
    table.insert(found, { ('%s bank conflict%s'):format(grouped(line.bankConflicts), plural), 'SimtWarning' })
  end
  return found
end

---@param line simt.Line
---@param chances integer
---@return string[][]? chunks for |nvim_buf_set_extmark()|: a bar as full as the warps were, then the words; none for a
--- line in which nearly all lanes worked and nothing else was lost: what is calm looks calm
local function chunks(line, chances)
  local costs = line.diverged > 0 or line.sectors > line.idealSectors or line.bankConflicts > 0
  if line.simdEfficiency >= CALM and not costs then
    return nil
  end
  local bar = BARS[math.max(1, math.ceil(line.simdEfficiency * #BARS))]
  local found = { { '  ' .. bar, tone(line.simdEfficiency) } }
  for position, word in ipairs(words(line, chances)) do
    table.insert(found, { position == 1 and ' ' or ' · ', 'SimtMuted' })
    table.insert(found, word)
  end
  return found
end

---@param kernel { branches: simt.Branch[] }
---@return table<integer, integer> how often branches of a line were executed
local function chances_by_line(kernel)
  local found = {}
  for _, branch in ipairs(kernel.branches) do
    local line = branch.position.line
    found[line] = (found[line] or 0) + branch.executed
  end
  return found
end

---@param bufnr integer
local function erase(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
end

--- The notification `simt/simulation`.
---@param simulation { uri: string, kernels: { lines: simt.Line[], branches: simt.Branch[] }[] }
function M.show(simulation)
  local bufnr = vim.uri_to_bufnr(simulation.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  require('simt.lenses').refresh(bufnr)
  erase(bufnr)
  if cleared[bufnr] or not options.current.decorations then
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr)
  for _, kernel in ipairs(simulation.kernels) do
    local chances = chances_by_line(kernel)
    for _, line in ipairs(kernel.lines) do
      local shown = chunks(line, chances[line.line] or 0)
      -- The text may have grown shorter while the message was on its way.
      if shown and line.line < last then
        vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, line.line, 0, {
          virt_text = shown,
          hl_mode = 'combine',
          priority = PRIORITY,
        })
      end
    end
  end
end

--- The server goes on telling of a simulation after each edit; it is shown no more.
---@param bufnr integer
function M.clear(bufnr)
  cleared[bufnr] = true
  erase(bufnr)
end

--- The server that told of it looks at the buffer no more.
---@param bufnr integer
function M.detach(bufnr)
  cleared[bufnr] = nil
  erase(bufnr)
end

--- A simulation that was begun in `bufnr` may belong to another file, whose buffer may have been cleared.
---@param server vim.lsp.Client
---@param bufnr integer
---@param uri string of that file
function M.shown_in(server, bufnr, uri)
  local other = vim.uri_to_bufnr(uri)
  if other == bufnr or not cleared[other] then
    return
  end
  M.expect(other)
  local params = { textDocument = { uri = uri } }
  require('simt.client').request(server, bufnr, 'simt/simulation', params, function(simulation)
    if simulation then
      M.show(simulation)
    end
  end)
end

--- What the next simulation tells is shown.
---@param bufnr integer
function M.expect(bufnr)
  cleared[bufnr] = nil
end

return M
