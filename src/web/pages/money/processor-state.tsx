import { Link } from 'wouter'
import { useFormat } from '../../format/format.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './processor-state.module.css'
import type { Processor } from './use-processor.ts'

/** Whether payments come by themselves; leads to where that is changed. */
export function ProcessorState({ processor }: { processor: Processor }) {
  const { processor: text } = useText().money
  const format = useFormat()
  const { mayManage } = useSite()
  if (!mayManage || processor === undefined) return null
  return (
    <p className={css.state}>
      {processor === null ? text.missing : text.connected(format.date(processor.connected_at))}
      <Link href="/connect-stripe">{processor === null ? text.connect : text.settings}</Link>
    </p>
  )
}
