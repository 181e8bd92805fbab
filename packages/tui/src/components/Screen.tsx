/** A frame as Ink elements: one text for each line. */
import { Box, Text } from "ink"
import { memo, useMemo } from "react"
import { frameOf } from "../layout/frame.js"
import { type Line, painted } from "../layout/Line.js"
import type { Model } from "../model/Model.js"
import { type Theme, themeOf } from "../theme/theme.js"

const LineText = memo(({ line, theme }: { readonly line: Line; readonly theme: Theme }) => (
  <Text wrap="truncate-end">{painted(line, theme)}</Text>
))

export interface ScreenProps {
  readonly model: Model
  /** Whether colours may be used. */
  readonly colour: boolean
}

/** The whole screen of a model. */
export const Screen = ({ model, colour }: ScreenProps) => {
  const frame = useMemo(() => frameOf(model), [model])
  const theme = themeOf(model.preferences.theme, colour)
  return (
    <Box flexDirection="column" width={model.size.columns} height={frame.length}>
      {frame.map((line, row) => (
        // A line has no other identity than its row.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <LineText key={row} line={line} theme={theme} />
      ))}
    </Box>
  )
}
