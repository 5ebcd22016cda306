import { Suspense, useState } from 'react'
import { api, type Inputs, type Outputs, type Section } from '../../../api/client.ts'
import { useChange } from '../../../api/use-change.ts'
import { FilterSummary, filtersOf, type StoredFilters } from '../../../filters/filter-summary.tsx'
import { Editor } from '../../../parts/editor.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { CheckField, Checks, FieldGroup, TextField } from '../../../parts/form/field.tsx'
import { lazyPart } from '../../../parts/lazy-part.ts'
import { type Filter, type FilterName, hasOperators, parameterOf } from '../../../state/filters.ts'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'
import type { Share } from './sharing.tsx'

type Values = Omit<Inputs['shares']['create'], 'siteKey'>

interface Props {
  /** The share to change; without it a new one is made. */
  share?: Share
  onCreated?(share: Outputs['shares']['create']): void
  onClose(): void
}

/** Makes a share, or changes one. */
export function ShareDialog({ share, onCreated, onClose }: Props) {
  const { settings: text, common } = useText()
  const { id } = useSite()
  const [sections, setSections] = useState<readonly Section[]>(share?.sections ?? USUAL_SECTIONS)
  const [filters, setFilters] = useState<readonly Filter[]>(() => filtersOf(share?.filters ?? {}))
  const [dropsPassword, setDropsPassword] = useState(false)
  const save = useChange(
    (values: Values) =>
      share
        ? api.shares.change.mutate({ siteKey: id, id: share.id, ...values })
        : api.shares.create.mutate({ siteKey: id, ...values }),
    [['shares', id]],
  )
  const inputOf = ({
    name = '',
    password = '',
    expires = '',
    may_export,
  }: Record<string, string>): Values => ({
    name,
    sections: [...sections],
    filters: storedFrom(filters),
    expires_at: expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString(),
    may_export: may_export !== undefined,
    ...(dropsPassword ? { password: null } : password !== '' && { password }),
  })
  return (
    <Editor
      title={share ? text.editShare : text.newShare}
      send={share ? common.actions.save : common.actions.create}
      change={save}
      inputOf={inputOf}
      onDone={saved => (share ? onClose() : onCreated?.(saved as Outputs['shares']['create']))}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={text.shareName}
        hint={text.shareNameHint}
        defaultValue={share?.name}
        maxLength={255}
        required
      />
      <SectionFields sections={sections} onChange={setSections} />
      <FilterRows filters={filters} onChange={setFilters} />
      <TextField
        name="password"
        type="password"
        autoComplete="new-password"
        label={share?.has_password ? text.newPassword : text.password}
        hint={share?.has_password ? text.newPasswordHint : text.passwordHint}
        disabled={dropsPassword}
      />
      {share?.has_password && (
        <CheckField
          label={text.dropPassword}
          checked={dropsPassword}
          onChange={event => setDropsPassword(event.target.checked)}
        />
      )}
      <TextField
        name="expires"
        type="date"
        label={text.expiry}
        hint={text.expiryHint}
        defaultValue={share?.expires_at ? localDay(new Date(share.expires_at)) : ''}
        field="expires_at"
      />
      <CheckField
        name="may_export"
        label={text.export}
        hint={text.exportHint}
        defaultChecked={share?.may_export}
      />
      {sections.length === 0 && <p className={css.warning}>{text.noSection}</p>}
    </Editor>
  )
}

function storedFrom(filters: readonly Filter[]): StoredFilters {
  const stored: Record<string, Record<string, string[]>> = {}
  for (const { name, operator, values } of filters) stored[name] = { ...stored[name], [operator]: values }
  return stored as StoredFilters
}

/** The day of a moment by the reader's own clock, `YYYY-MM-DD`. */
const localDay = (moment: Date) => new Intl.DateTimeFormat('en-CA').format(moment)

interface SectionFieldsProps {
  sections: readonly Section[]
  onChange(sections: readonly Section[]): void
}

/** Chooses what a share shows. */
function SectionFields({ sections, onChange }: SectionFieldsProps) {
  const { settings: text } = useText()
  const optionsOf = (kind: 'usual' | 'private') =>
    SECTIONS.filter(each => SECTION_KINDS[each] === kind).map(value => ({
      value,
      label: text.sections[value],
    }))
  return (
    <FieldGroup label={text.shows}>
      <Checks options={optionsOf('usual')} chosen={sections} onChange={onChange} />
      <p className={css.hint}>{text.privateSections}</p>
      <Checks options={optionsOf('private')} chosen={sections} onChange={onChange} />
    </FieldGroup>
  )
}

const FilterEditor = lazyPart(() => import('../../../filters/filter-editor.tsx'))

/** A share narrows by dimensions alone. */
const isDimension = (name: FilterName) => hasOperators(name) && name !== 'prop_key' && name !== 'prop_value'

interface FilterRowsProps {
  filters: readonly Filter[]
  onChange(filters: readonly Filter[]): void
}

/** Edits the filters that apply to everything a share shows. */
function FilterRows({ filters, onChange }: FilterRowsProps) {
  const { settings: text } = useText()
  const [isAdding, setAdding] = useState(false)
  const add = (filter: Filter) => {
    const others = filters.filter(each => parameterOf(each) !== parameterOf(filter))
    onChange([...others, filter])
    setAdding(false)
  }
  return (
    <FieldGroup label={text.fixedFilters}>
      <p className={css.hint}>{text.fixedFiltersHint}</p>
      <FilterSummary
        filters={filters}
        onRemove={removed => onChange(filters.filter(each => each !== removed))}
      />
      {isAdding ? (
        <Suspense>
          <div className={css.editor}>
            <FilterEditor only={isDimension} onApply={add} />
          </div>
        </Suspense>
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>{text.addFilter}</Button>
        </div>
      )}
    </FieldGroup>
  )
}

/** Sections of a share in the order of the form. Those of `private` are never part of a public site. */
const SECTION_KINDS = {
  traffic: 'usual',
  sources: 'usual',
  pages: 'usual',
  locations: 'usual',
  devices: 'usual',
  goals: 'usual',
  events: 'usual',
  errors: 'usual',
  revenue: 'private',
  people: 'private',
  stacks: 'private',
} as const satisfies Record<Section, 'usual' | 'private'>

export const SECTIONS = Object.keys(SECTION_KINDS) as Section[]
const USUAL_SECTIONS = SECTIONS.filter(section => SECTION_KINDS[section] === 'usual')
