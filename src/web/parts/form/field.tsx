import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { useText } from '../../text/text.tsx'
import { Button } from './button.tsx'
import css from './form.module.css'
import { useFieldErrors } from './form.tsx'

interface FieldProps {
  label: string
  hint?: ReactNode
  /** What is wrong with the value; by default what the service said of it to the form. */
  errors?: readonly string[] | undefined
  /** Name that the service knows it by, if that is another one than `name`. */
  field?: string
}

type TextFieldProps = FieldProps & ComponentProps<'input'>

export function TextField({ label, hint, errors: given, field, ...input }: TextFieldProps) {
  const { id, errors, described } = useDescription(hint, given, field ?? input.name)
  return (
    <Frame {...{ id, label, hint, errors }}>
      <input {...input} {...described} id={id} className={css.input} />
    </Frame>
  )
}

type TextAreaProps = FieldProps & ComponentProps<'textarea'>

export function TextArea({ label, hint, errors: given, field, ...input }: TextAreaProps) {
  const { id, errors, described } = useDescription(hint, given, field ?? input.name)
  return (
    <Frame {...{ id, label, hint, errors }}>
      <textarea rows={3} {...input} {...described} id={id} className={css.input} />
    </Frame>
  )
}

type SelectFieldProps = FieldProps &
  ComponentProps<'select'> & { options: readonly { value: string; label: string }[] }

/** The browser's own list: it has search by letters, and on a phone its own sheet. */
export function SelectField({ label, hint, errors: given, field, options, ...select }: SelectFieldProps) {
  const { id, errors, described } = useDescription(hint, given, field ?? select.name)
  return (
    <Frame {...{ id, label, hint, errors }}>
      <select {...select} {...described} id={id} className={css.input}>
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

type CheckFieldProps = Omit<FieldProps, 'errors' | 'field'> & ComponentProps<'input'>

export function CheckField({ label, hint, ...input }: CheckFieldProps) {
  const { id, described } = useDescription(hint, undefined, undefined)
  return (
    <div className={css.check}>
      <input type="checkbox" {...input} {...described} id={id} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className={css.hint}>
          {hint}
        </p>
      )}
    </div>
  )
}

function Frame({ id, label, hint, errors, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={css.hint}>
          {hint}
        </p>
      )}
      {errors && errors.length > 0 && (
        <p id={`${id}-errors`} className={css.errors} role="alert">
          {errors.join(' · ')}
        </p>
      )}
    </div>
  )
}

function useDescription(hint: ReactNode, given: FieldProps['errors'], name: string | undefined) {
  const id = useId()
  const found = useFieldErrors(name)
  const errors = given ?? found
  const isWrong = errors !== undefined && errors.length > 0
  const parts = [hint && `${id}-hint`, isWrong && `${id}-errors`].filter(Boolean).join(' ')
  const described = { 'aria-describedby': parts || undefined, 'aria-invalid': isWrong || undefined }
  return { id, errors, described }
}

/** A field for a password, which can be shown. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, 'type'>) {
  const { actions } = useText().common
  const [isShown, setShown] = useState(false)
  const action = isShown ? actions.hide : actions.show
  return (
    <div className={css.password}>
      <TextField name="password" required {...props} type={isShown ? 'text' : 'password'} />
      <Button
        kind="quiet"
        className={css.toggle}
        aria-label={`${action}: ${props.label}`}
        onClick={() => setShown(!isShown)}
      >
        {action}
      </Button>
    </div>
  )
}

/** Fields that belong together, under a name. */
export function FieldGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={css.fields}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  )
}

interface ChecksProps<Value extends string> {
  options: readonly { value: Value; label: string; hint?: string }[]
  chosen: readonly Value[]
  onChange(chosen: readonly Value[]): void
  /** Whether the labels are sentences, and need a line each. */
  isLong?: boolean
}

/** A box for each of a few values. */
export function Checks<Value extends string>({ options, chosen, onChange, isLong }: ChecksProps<Value>) {
  return (
    <div className={isLong ? css.lines : css.checks}>
      {options.map(({ value, ...option }) => (
        <CheckField
          key={value}
          {...option}
          checked={chosen.includes(value)}
          onChange={event =>
            onChange(event.target.checked ? [...chosen, value] : chosen.filter(each => each !== value))
          }
        />
      ))}
    </div>
  )
}

/** Several of a few values. */
export function CheckGroup<Value extends string>({
  label,
  ...checks
}: ChecksProps<Value> & { label: string }) {
  return (
    <FieldGroup label={label}>
      <Checks {...checks} />
    </FieldGroup>
  )
}
