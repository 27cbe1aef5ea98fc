-- Every highlight group of the plugin, linked to groups that each colour scheme has.

local M = {}

--- The tones of the server's report.
---@type table<string, string>
M.TONES = {
  title = 'SimtTitle',
  heading = 'SimtHeading',
  good = 'SimtGood',
  warning = 'SimtWarning',
  bad = 'SimtBad',
  muted = 'SimtMuted',
}

---@type table<string, vim.api.keyset.highlight>
local DEFAULTS = {
  SimtTitle = { link = 'Title' },
  SimtHeading = { link = 'Statement' },
  SimtGood = { link = 'DiagnosticOk' },
  SimtWarning = { link = 'DiagnosticWarn' },
  SimtBad = { link = 'DiagnosticError' },
  SimtMuted = { link = 'Comment' },
  -- What the server marks in the text: the branches that split warps, the variables that differ between lanes.
  SimtVaryingBranch = { link = 'DiagnosticWarn' },
  SimtVarying = { italic = true },
  ['@lsp.typemod.keyword.varying.cuda'] = { link = 'SimtVaryingBranch' },
  ['@lsp.typemod.operator.varying.cuda'] = { link = 'SimtVaryingBranch' },
  ['@lsp.mod.varying.cuda'] = { link = 'SimtVarying' },
}

--- A colour scheme that defines one of these wins.
function M.define()
  for group, definition in pairs(DEFAULTS) do
    vim.api.nvim_set_hl(0, group, vim.tbl_extend('force', definition, { default = true }))
  end
end

return M
