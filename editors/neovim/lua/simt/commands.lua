-- The commands of a CUDA buffer, and `:SimtCancel`, which is there in all of them; all start with `:Simt`.

local M = {}

---@class simt.Command
---@field run fun(arguments: string, bang: boolean)
---@field desc string
---@field nargs? string none unless given
---@field complete? string[]
---@field bang? boolean

---@type table<string, simt.Command>
local COMMANDS = {
  SimtSimulate = {
    run = function(launch)
      require('simt.simulate').at_cursor(launch)
    end,
    desc = 'Simulate the kernel of the cursor, e.g. :SimtSimulate grid=8 block=256 n=2048',
    nargs = '*',
    complete = { 'grid=', 'block=', 'policy=', 'seed=', 'shared=' },
  },
  SimtReport = {
    run = function(format)
      require('simt.simulate').report(format)
    end,
    desc = 'Show the last report on the kernel of the cursor: html (in the browser) or text (in a window)',
    nargs = '?',
    complete = { 'html', 'text' },
  },
  SimtClear = {
    run = function()
      require('simt.decorations').clear(vim.api.nvim_get_current_buf())
    end,
    desc = 'Remove what a simulation left behind the lines',
  },
  SimtLegend = {
    run = function()
      require('simt.legend').show()
    end,
    desc = 'Show what colours, italics, hints and bars mean',
  },
  SimtRestart = {
    run = function()
      require('simt.restart')()
    end,
    desc = 'Start the server again',
  },
  SimtExplain = {
    run = function()
      require('simt.explain').here()
    end,
    desc = 'Explain what varies in the line of the cursor, and why',
  },
  SimtExplainExactly = {
    run = function()
      require('simt.explain').exactly()
    end,
    desc = 'Explain the line of the cursor over all paths of two threads, in a window of its own',
  },
  SimtMeld = {
    run = function(_, bang)
      local meld = require('simt.meld')
      if bang then
        meld.at_once()
      else
        meld.preview()
      end
    end,
    desc = 'Meld the arms of the branch in the line of the cursor: as a diff, or with ! at once',
    bang = true,
  },
  SimtSimd = {
    run = function()
      require('simt.simd').show()
    end,
    desc = 'Show the kernel of the cursor as vector operations under masks; <CR> goes to the source of a line',
  },
  SimtCfg = {
    run = function(format)
      require('simt.control_flow_graph').show(format)
    end,
    desc = 'Show the control flow of the function at the cursor: svg (in the browser), dot or mermaid',
    nargs = '?',
    complete = { 'svg', 'dot', 'mermaid' },
  },
}

---@param bufnr integer
function M.define(bufnr)
  -- A simulation goes on while its user looks at something else.
  vim.api.nvim_create_user_command('SimtCancel', function()
    require('simt.simulate').cancel()
  end, { desc = 'End the simulations that run' })
  for name, command in pairs(COMMANDS) do
    vim.api.nvim_buf_create_user_command(bufnr, name, function(call)
      command.run(call.args, call.bang)
    end, {
      nargs = command.nargs or 0,
      bang = command.bang,
      desc = command.desc,
      complete = command.complete and function(lead)
        return vim
          .iter(command.complete)
          :filter(function(word)
            return vim.startswith(word, lead)
          end)
          :totable()
      end,
    })
  end
end

return M
