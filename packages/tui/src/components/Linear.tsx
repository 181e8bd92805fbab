/** The monitor as a screen reader reads it: Ink's accessible output of one thing a line. */
import { Box, Text } from "ink"
import { linearLines } from "../layout/linear.js"
import type { Model } from "../model/Model.js"

export const Linear = ({ model }: { readonly model: Model }) => (
  <Box flexDirection="column">
    {linearLines(model).map(({ role, selected, text }, index) =>
      role === "listitem" ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its place
        <Box key={index} aria-role="listitem" aria-state={{ selected }}>
          <Text>{text}</Text>
        </Box>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Text key={index}>{text}</Text>
      )
    )}
  </Box>
)
