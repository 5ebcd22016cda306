import { useEffect, useState } from 'react'
import { type Failure, failureOf } from '../../api/failure.ts'
import { queries } from '../../api/use-read.ts'
import { Button } from '../../parts/form/button.tsx'
import { useAddress } from '../../state/address.ts'
import { FILTERS } from '../../state/filters.ts'
import { useText } from '../../text/text.tsx'
import css from '../message-page.module.css'

/** What takes too long is no wrong value: the card says what helps. */
const SLOW = /too long/
const RANGE = ['range', 'from', 'to', 'compare_from', 'compare_to']

/** Returns the parameters of an address that belong to fields that the service refused. */
function refusedIn(params: URLSearchParams, fields: Failure['fields']): string[] {
  const wrong = Object.keys(fields).filter(field => !fields[field]!.some(message => SLOW.test(message)))
  const refused = new Set(wrong.map(field => field.split(/[.[]/)[0]!))
  if (RANGE.some(name => refused.has(name))) for (const name of RANGE) refused.add(name)
  return [...new Set(params.keys())].filter(parameter => refused.has(parameter.replace(/\[.*$/, '')))
}

/** Returns the parameters of the address that no read of the page can answer, such as the id of a segment that was deleted. */
export function useRefused(): string[] {
  const { params } = useAddress()
  const [found, setFound] = useState<{ in: string; names: string[] }>()
  const address = params.toString()
  useEffect(
    () =>
      queries.getQueryCache().subscribe(event => {
        if (event.type !== 'updated' || event.action.type !== 'error') return
        const { kind, fields } = failureOf(event.action.error)
        const names = kind === 'invalid' ? refusedIn(new URLSearchParams(address), fields) : []
        if (names.length > 0) setFound({ in: address, names })
      }),
    [address],
  )
  return found?.in === address ? found.names : []
}

/** Stands in the place of a page whose address asks for what does not exist, with a way to the page without it. */
export function WrongAddress({ names }: { names: readonly string[] }) {
  const { common, filters, period } = useText()
  const { change } = useAddress()
  const what = names.map(name => {
    const filter = name.replace(/\[.*$/, '')
    return Object.hasOwn(FILTERS, filter) ? filters.names[filter as keyof typeof FILTERS] : period.label
  })
  return (
    <div className={css.page}>
      <p role="alert">{common.states.wrongAddress([...new Set(what)].join(', '))}</p>
      <Button onClick={() => change(Object.fromEntries(names.map(name => [name, null])), { replace: true })}>
        {common.states.withoutIt}
      </Button>
    </div>
  )
}
