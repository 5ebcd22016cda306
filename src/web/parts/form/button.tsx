import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import css from './form.module.css'

type Kind = 'plain' | 'main' | 'danger' | 'quiet'

interface Props extends ComponentProps<'button'> {
  /** `main`: what most people do here, once a page. `danger`: cannot be undone. `quiet`: without a frame. */
  kind?: Kind
  isBusy?: boolean
}

export function Button({ kind = 'plain', isBusy, className, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      disabled={isBusy}
      {...rest}
      className={[css.button, css[kind], className].filter(Boolean).join(' ')}
    />
  )
}

/** A link that looks like a button. */
export function ButtonLink({ kind = 'plain', className, ...rest }: ComponentProps<'a'> & { kind?: Kind }) {
  return <a {...rest} className={[css.button, css[kind], className].filter(Boolean).join(' ')} />
}

/** A link to a page of the interface, which looks like a button. */
export function LinkButton({ kind = 'plain', className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={[css.button, css[kind], className].filter(Boolean).join(' ')} />
}

interface LinkButtonProps {
  href: string
  kind?: Kind
  className?: string | undefined
  children: ReactNode
}

/** A button of one sign; `label` is its name. */
export function IconButton({ label, className, ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={[css.icon, className].filter(Boolean).join(' ')}
    />
  )
}
