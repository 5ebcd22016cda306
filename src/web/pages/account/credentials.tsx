import type { ReactNode } from 'react'
import type { Read } from '../../api/use-read.ts'
import { usePlainFormat } from '../../format/format.ts'
import { Button } from '../../parts/form/button.tsx'
import { Answer } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './account.module.css'

interface Credential {
  id: string
  created_at: string
  last_used_at: string | null
}

interface Props<Each extends Credential> {
  read: Read<Each[]>
  nameOf(each: Each): string
  onRemove(each: Each): void
  /** What is shown of one. */
  children: (each: Each) => ReactNode
}

/** Ways in which a person signs in, when each was used, and a button that removes it. */
export function Credentials<Each extends Credential>({ read, nameOf, onRemove, children }: Props<Each>) {
  const { account } = useText()
  const { time } = usePlainFormat()
  return (
    <Answer read={read}>
      {list => (
        <ul className={css.rows}>
          {list.map(each => (
            <li key={each.id}>
              <div>
                {children(each)}
                <p>
                  {account.addedAt(time(each.created_at))} ·{' '}
                  {each.last_used_at ? account.usedAt(time(each.last_used_at)) : account.neverUsed}
                </p>
              </div>
              <Button
                kind="danger"
                aria-label={`${account.remove}: ${nameOf(each)}`}
                onClick={() => onRemove(each)}
              >
                {account.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  )
}
