import { Link } from 'wouter'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './money.module.css'

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
type Processor = Connection | null | undefined

/** Returns whether a payment processor is connected. */
export function useProcessor(): Processor {
  const { mayManage, hasProcessor } = useSite()
  const { data } = useConnection()
  return mayManage && !hasProcessor ? null : data
}

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

/** What the page needs, for a site without any payment. */
export function NoMoney() {
  const { empty: text, processor } = useText().money
  const { isMember, mayManage } = useSite()
  return (
    <section className={css.box}>
      <h2>{text.title}</h2>
      <p>{text.text}</p>
      <ol className={css.ways}>
        <li>
          <p>{text.stripe}</p>
          {mayManage && (
            <Link href="/connect-stripe" className={css.main}>
              {processor.connect}
            </Link>
          )}
        </li>
        <li>
          <p>{text.api}</p>
          <a href={new URL('docs', document.baseURI).href} target="_blank" rel="noopener">
            {text.docs}
          </a>
        </li>
      </ol>
      {isMember && !mayManage && <p className={css.hint}>{text.manager}</p>}
    </section>
  )
}
