import { api, TOGETHER } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useText } from '../../text/text.tsx'
import { SelectField } from './field.tsx'

interface Props {
  /** In place of the usual ones. */
  label?: string
  hint?: string
  value: string
  onChange(value: string): void
  disabled?: boolean
}

/** Lists that do not change while a page is open. */
const useOptions = (name: 'timezones' | 'currencies') =>
  useRead(['options', name], signal => api.options[name].query(undefined, { signal, context: TOGETHER }))

/** Chooses a time zone. Until the list is there it has the present one. */
export function ZoneField({ value, ...rest }: Props) {
  const { sites: text } = useText()
  const { data } = useOptions('timezones')
  return (
    <OptionField
      name="timezone"
      label={text.timezone}
      hint={text.timezoneHint}
      {...{ data, value }}
      {...rest}
    />
  )
}

/** Chooses a reporting currency. */
export function CurrencyField({ value, ...rest }: Props) {
  const { sites: text } = useText()
  const { data } = useOptions('currencies')
  return (
    <OptionField
      name="currency"
      label={text.currency}
      hint={text.currencyHint}
      {...{ data, value }}
      {...rest}
    />
  )
}

interface FieldProps extends Props {
  name: string
  label: string
  hint: string
  data: readonly { value: string; label: string }[] | undefined
}

function OptionField({ data = [], value, onChange, ...rest }: FieldProps) {
  // A browser may know a zone by a name that the list does not have.
  const options = data.some(each => each.value === value) ? data : [{ value, label: value }, ...data]
  return (
    <SelectField {...rest} options={options} value={value} onChange={event => onChange(event.target.value)} />
  )
}
