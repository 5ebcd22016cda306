import { useState } from 'react'
import { usePlainFormat } from '../../format/format.ts'
import { Button } from '../../parts/form/button.tsx'
import { CopyButton } from '../../parts/form/copy-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import css from './errors.module.css'
import type { Occurrence } from './use-newest.ts'

/** The stack traces of an error; most have one, and each build of a page's script makes another. */
export function Stacks({ occurrences }: { occurrences: readonly Occurrence[] }) {
  const { common, errors } = useText()
  const { exact } = usePlainFormat()
  const [chosen, setChosen] = useState(0)
  const [newest] = occurrences
  if (newest?.stack === null) return <p>{errors.hiddenStack}</p>
  const stacks = [...new Map(occurrences.map(each => [each.stack, each])).values()].filter(each => each.stack)
  const index = Math.min(chosen, stacks.length - 1)
  const shown = stacks[index]
  if (!shown) {
    return (
      <>
        {newest && <Thrown at={newest} />}
        <p>{errors.noStack}</p>
      </>
    )
  }
  return (
    <>
      <div className={css.actions}>
        <CopyButton text={shown.stack!} label={errors.copyStack} />
        {stacks.length > 1 && (
          <>
            <Button disabled={index === 0} onClick={() => setChosen(index - 1)}>
              {common.actions.previous}
            </Button>
            {errors.stackOf(exact(index + 1), exact(stacks.length))}
            <Button disabled={index === stacks.length - 1} onClick={() => setChosen(index + 1)}>
              {common.actions.next}
            </Button>
          </>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <section tabIndex={0} className={css.stack} aria-label={errors.stack}>
        <pre>
          <HostileText isWrapped>{shown.stack!}</HostileText>
        </pre>
      </section>
      <Thrown at={shown} />
    </>
  )
}

function Thrown({ at: { file_name, line_number, column_number } }: { at: Occurrence }) {
  const place = [file_name, line_number, column_number].filter(Boolean).join(':')
  return place === '' ? null : (
    <p className={css.place}>
      <HostileText isWrapped>{place}</HostileText>
    </p>
  )
}
