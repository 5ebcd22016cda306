import { api, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useSite } from '../../state/site.tsx'

/** The connection to the payment processor; null without one, undefined while it is not known, or for readers who may not know it. */
export type Processor = Outputs['processor']['get'] | null | undefined

/** Reads whether a payment processor is connected. */
export function useProcessor(): Processor {
  const { id, mayManage } = useSite()
  return useRead(
    ['processor', id, 'state'],
    signal =>
      api.processor.get.query({ siteKey: id }, { signal, context: TOGETHER }).catch(error => {
        if (failureOf(error).kind === 'missing') return null
        throw error
      }),
    { enabled: mayManage },
  ).data
}
