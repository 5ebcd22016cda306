import { useFormat } from '../../format/format.ts'

/** When an error occurred first or last, with the year: it may be long ago. Readers of a share with filters are not told. */
export function Seen({ at }: { at: string | null }) {
  const format = useFormat()
  return at === null ? <>–</> : <time dateTime={at}>{format.time(at)}</time>
}
