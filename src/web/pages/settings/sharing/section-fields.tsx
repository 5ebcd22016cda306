import type { Section } from '../../../api/types.ts'
import { CheckField } from '../../../parts/form/field.tsx'
import { useText } from '../../../text/text.tsx'
import { SECTION_KINDS, SECTIONS } from './sections.ts'
import css from './share-form.module.css'

interface Props {
  sections: readonly Section[]
  onChange(sections: readonly Section[]): void
}

/** Chooses what a share shows. */
export function SectionFields({ sections, onChange }: Props) {
  const { settings: text } = useText()
  const fieldOf = (section: Section) => (
    <CheckField
      key={section}
      label={text.sections[section]}
      checked={sections.includes(section)}
      onChange={event =>
        onChange(event.target.checked ? [...sections, section] : sections.filter(each => each !== section))
      }
    />
  )
  return (
    <fieldset className={css.group}>
      <legend>{text.shows}</legend>
      <div className={css.checks}>
        {SECTIONS.filter(each => SECTION_KINDS[each] === 'usual').map(fieldOf)}
      </div>
      <p className={css.hint}>{text.privateSections}</p>
      <div className={css.checks}>
        {SECTIONS.filter(each => SECTION_KINDS[each] === 'private').map(fieldOf)}
      </div>
    </fieldset>
  )
}
