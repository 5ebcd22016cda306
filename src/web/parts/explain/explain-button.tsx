import { Suspense, useState } from 'react'
import type { Inputs } from '../../api/client.ts'
import { useText } from '../../text/text.tsx'
import { IconButton } from '../form/button.tsx'
import { lazyPart } from '../lazy-part.ts'
import { Dialog, loadDialog } from '../overlay/dialog.tsx'
import { Skeleton } from '../states.tsx'
import css from './explain.module.css'

const load = () => import('./explain-panel.tsx')
const ExplainPanel = lazyPart(load)

export type ExplainInput = Inputs['stats']['explain']

/** A number that can be explained. */
export interface Explained {
  metric: string
  /** Name of the metric. */
  name: string
  /** How the number is written. */
  write: (value: number) => string
  /** The rule in a sentence. */
  rule: string
}

interface Props {
  /** What the number is of; the name of the dialog. */
  of: string
  /** The read with its parameters, without the metric. */
  ask: Omit<ExplainInput, 'metric'>
  /** The numbers to choose from, the first of them shown first. */
  numbers: readonly [Explained, ...Explained[]]
}

const preload = () => {
  void load()
  void loadDialog()
}

/** A sign beside a number that shows where it comes from. Nothing is loaded before it is used. */
export function ExplainButton({ of, ask, numbers }: Props) {
  const { explain } = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <IconButton
        label={explain.open(of)}
        className={css.sign}
        aria-haspopup="dialog"
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setIsOpen(true)}
      >
        <span aria-hidden="true">i</span>
      </IconButton>
      <Dialog open={isOpen} size="wide" title={explain.title(of)} onClose={() => setIsOpen(false)}>
        <Suspense fallback={<Skeleton rows={8} />}>
          <ExplainPanel ask={ask} numbers={numbers} onLeave={() => setIsOpen(false)} />
        </Suspense>
      </Dialog>
    </>
  )
}
