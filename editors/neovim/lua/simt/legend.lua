-- `:SimtLegend`: what colours, italics, hints and bars mean, in the colours that they have.

local window = require('simt.window')

local M = {}

---@type { text: string, group: string, meaning: string[] }[]
local MARKS = {
  {
    text = 'if',
    group = 'SimtVaryingBranch',
    meaning = { 'the lanes of a warp may part at this keyword or operator' },
  },
  {
    text = 'name',
    group = 'SimtVarying',
    meaning = { 'differs between the lanes of a warp, in a way that is not', 'linear in the thread index' },
  },
  {
    text = ': 4·tid',
    group = 'LspInlayHint',
    meaning = { 'grows by 4 from thread to thread, where the declaration', 'does not say it; tid is threadIdx.x' },
  },
  {
    text = '32/4 sectors',
    group = 'LspInlayHint',
    meaning = { 'one request of a warp moves 32 sectors of 32 bytes', 'where 4 would do' },
  },
  {
    text = '8-way conflict',
    group = 'LspInlayHint',
    meaning = { 'one request passes 8 times over the banks of shared', 'memory' },
  },
  {
    text = '▎ 25 % of lanes',
    group = 'SimtBad',
    meaning = {
      'after :SimtSimulate, where lanes were lost: the emptier',
      'the bar, the more; lines where nearly all worked and',
      'nothing else was lost have none',
    },
  },
  {
    text = '█ 2 bank conflicts',
    group = 'SimtGood',
    meaning = { 'all lanes worked, and something else was lost' },
  },
}
local WIDTH = 20 -- of the marks

function M.show()
  local lines = {}
  for _, mark in ipairs(MARKS) do
    for row, words in ipairs(mark.meaning) do
      local text = row == 1 and mark.text or ''
      local blank = (' '):rep(WIDTH - vim.fn.strdisplaywidth(text))
      table.insert(lines, { { text = text, group = mark.group }, { text = blank .. words } })
    end
  end
  window.in_the_middle(lines, 'What the marks mean')
end

return M
