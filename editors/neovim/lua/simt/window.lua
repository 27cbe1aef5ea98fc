-- Text in floating windows: small ones beside the cursor, a large one in the middle; `q` closes both.

local options = require('simt.options')

local M = {}

local SHARE = 0.9 -- of the screen, for a large window

--- Closes when the cursor moves; asked for a second time, the cursor goes into it.
---@param lines string[]
---@param id string
function M.beside_cursor(lines, id)
  vim.lsp.util.open_floating_preview(lines, '', {
    border = options.current.border,
    focus_id = id,
    max_width = math.floor(vim.o.columns * SHARE),
    wrap = false,
  })
end

--- A window of its own, with text that cannot be changed and is gone with the window.
---@param lines string[]
---@param filetype string
---@param split? 'vertical' beside what is shown, not above it
function M.scratch(lines, filetype, split)
  if split == 'vertical' then
    vim.cmd.vnew()
  else
    vim.cmd.new()
  end
  vim.bo.buftype = 'nofile'
  vim.bo.bufhidden = 'wipe'
  vim.bo.filetype = filetype
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.modifiable = false
  vim.wo.wrap = false
end

---@class simt.Piece
---@field text string
---@field tone? string as the server names it
---@field group? string of highlights, where no tone says it

---@param pieces simt.Piece[][] lines, each in pieces
---@return string[] lines
---@return { row: integer, first: integer, last: integer, group: string }[] highlights bytes from 0, without `last`
local function joined(pieces)
  local lines, highlights = {}, {}
  for row, line in ipairs(pieces) do
    local text = ' '
    for _, piece in ipairs(line) do
      local first = #text
      text = text .. piece.text
      local group = piece.group or require('simt.highlights').TONES[piece.tone]
      if group then
        table.insert(highlights, { row = row - 1, first = first, last = #text, group = group })
      end
    end
    lines[row] = text
  end
  return lines, highlights
end

---@type integer? the large window
local shown

--- Takes the place of the one that was shown before.
---@param pieces simt.Piece[][]
---@param title string
---@return integer winid
function M.in_the_middle(pieces, title)
  if shown and vim.api.nvim_win_is_valid(shown) then
    vim.api.nvim_win_close(shown, true)
  end
  local lines, highlights = joined(pieces)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local namespace = vim.api.nvim_create_namespace('simt.window')
  for _, one in ipairs(highlights) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, one.row, one.first, { end_col = one.last, hl_group = one.group })
  end
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = 'simt-report'
  local widest = vim.iter(lines):map(vim.fn.strdisplaywidth):fold(1, math.max)
  local width = math.min(widest + 1, math.floor(vim.o.columns * SHARE))
  local height = math.min(#lines, math.floor(vim.o.lines * SHARE))
  local winid = vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = height,
    style = 'minimal',
    border = options.current.border,
    title = (' %s '):format(title),
    footer = ' q closes ',
    footer_pos = 'right',
  })
  vim.wo[winid].wrap = false
  shown = winid
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = bufnr, desc = 'simt: close this window' })
  end
  return winid
end

return M
