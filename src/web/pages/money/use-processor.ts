import { api, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import type { Outputs } from '../../api/types.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useSite } from '../../state/site.tsx'

export type Connection = Outputs['processor']['get']

/** Reads the connection to the payment processor, where there is one and the reader may know it; null if it was ended meanwhile. */
export function useConnection(): Read<Connection | null> {
  const { id, mayManage, hasProcessor } = useSite()
  return useRead(
    ['processor', id, 'connection'],
    signal =>
      api.processor.get.query({ siteKey: id }, { signal, context: TOGETHER }).catch(error => {
        if (failureOf(error).kind === 'missing') return null
        throw error
      }),
    { enabled: mayManage && hasProcessor },
  )
}

/** The connection to the payment processor; null without one, undefined while it is not known, or for readers who may not know it. */
export type Processor = Connection | null | undefined

/** Returns whether a payment processor is connected. */
export function useProcessor(): Processor {
  const { mayManage, hasProcessor } = useSite()
  const { data } = useConnection()
  return mayManage && !hasProcessor ? null : data
}
