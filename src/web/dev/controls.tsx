import { useState } from 'react'
import { CodeBlock, CopyButton } from '../parts/code-block.tsx'
import { Button, ButtonLink, IconButton, LinkButton } from '../parts/form/button.tsx'
import { Choice, SearchInput, Select } from '../parts/form/choices.tsx'
import { CsvButton, DownloadButton } from '../parts/form/download-button.tsx'
import {
  CheckField,
  Checks,
  FieldGroup,
  PasswordField,
  SelectField,
  TextArea,
  TextField,
} from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { CurrencyField, ZoneField } from '../parts/form/option-fields.tsx'
import { HostileLink, HostileText } from '../parts/hostile-text.tsx'
import { OPTIONS, WORDS, WRONG_NAME } from './kit-data.ts'
import { Recipe } from './recipe.tsx'

/** Buttons, fields and forms. */
export function Controls() {
  const [chosen, setChosen] = useState('week')
  const [typed, setTyped] = useState('')
  const [checked, setChecked] = useState<readonly string[]>(['day'])
  const [zone, setZone] = useState('Europe/Berlin')
  const [currency, setCurrency] = useState('EUR')
  return (
    <>
      <Recipe
        kits={{ Button, ButtonLink, LinkButton, IconButton, CopyButton, DownloadButton, CsvButton }}
        isLine
      >
        <Button kind="main">{WORDS.open}</Button>
        <Button>{WORDS.open}</Button>
        <Button kind="danger">{WORDS.open}</Button>
        <Button kind="quiet">{WORDS.open}</Button>
        <Button disabled>{WORDS.open}</Button>
        <ButtonLink href="#kit">{WORDS.title}</ButtonLink>
        <LinkButton href="/dev/kit/">{WORDS.title}</LinkButton>
        <IconButton label={WORDS.name}>×</IconButton>
        <CopyButton text={WORDS.code} />
        <DownloadButton path="kit" name="kit.json">
          {WORDS.name}
        </DownloadButton>
        <CsvButton path="kit" query={{ siteKey: 'kit' }} name="kit" />
      </Recipe>
      <Recipe kits={{ Choice, Select, SearchInput }} isLine>
        <Choice label={WORDS.choose} options={OPTIONS} value={chosen} onChange={setChosen} />
        <Select label={WORDS.choose} options={OPTIONS} value={chosen} onChange={setChosen} />
        <SearchInput label={WORDS.choose} value={typed} onSearch={setTyped} />
      </Recipe>
      <Recipe
        kits={{
          ...{ Form, TextField, TextArea, SelectField, CheckField, PasswordField },
          ...{ ZoneField, CurrencyField, FieldGroup, Checks },
        }}
      >
        <Form label={WORDS.title} send={WORDS.open} failure={WRONG_NAME} onSend={() => {}}>
          <TextField name="name" label={WORDS.name} hint={WORDS.hint} defaultValue="" />
          <TextField name="domain" label={WORDS.name} defaultValue={WORDS.long} readOnly />
          <TextArea name="text" label={WORDS.note} defaultValue={WORDS.text} />
          <SelectField name="group" label={WORDS.choose} options={OPTIONS} />
          <PasswordField label={WORDS.name} autoComplete="off" />
          <CheckField name="is_on" label={WORDS.text} hint={WORDS.hint} defaultChecked />
          <FieldGroup label={WORDS.choose}>
            <Checks options={OPTIONS} chosen={checked} onChange={setChecked} />
          </FieldGroup>
          <ZoneField value={zone} onChange={setZone} />
          <CurrencyField value={currency} onChange={setCurrency} />
        </Form>
      </Recipe>
      <Recipe kits={{ CodeBlock, HostileText, HostileLink }}>
        <CodeBlock label={WORDS.name} code={WORDS.code} />
        <HostileText>{WORDS.long}</HostileText>
        <HostileLink address={`https://kit.example${WORDS.long}`} />
      </Recipe>
    </>
  )
}
