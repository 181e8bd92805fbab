/** One finding of the doctor. */
import type { Documents } from "@alluka/core"

export type Check = Documents.Check

export const check = (
  id: string,
  status: Check["status"],
  message: string,
  more: Partial<Pick<Check, "detail" | "try">> = {}
): Check => ({ id, status, message, detail: null, try: [], ...more })
