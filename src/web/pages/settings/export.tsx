import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { DownloadButton } from '../../parts/form/download-button.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './settings.module.css'

const FORMATS = ['jsonl', 'csv', 'parquet'] as const
type Format = (typeof FORMATS)[number]

/** Taking out what is stored of the site: its hits, and everything else. */
export function ExportSettings() {
  const { exports: text } = useText()
  return (
    <div className={css.stack}>
      <Card title={text.hits} note={text.hitsHint}>
        <HitExport />
      </Card>
      <Card title={text.rest} note={text.restHint}>
        <Kinds />
      </Card>
    </div>
  )
}

function HitExport() {
  const { exports: text } = useText()
  const { id, domain } = useSite()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [format, setFormat] = useState<Format>('jsonl')
  const days = { ...(from && { from }), ...(to && { to }) }
  const options = `--site ${domain}${from && to ? ` --from ${from} --to ${to}` : ''} --format ${format}`
  return (
    <div className={css.stack}>
      <SelectField
        label={text.format}
        value={format}
        options={FORMATS.map(value => ({ value, label: text.formats[value] }))}
        onChange={event => setFormat(event.target.value as Format)}
      />
      <div className={css.buttons}>
        <TextField
          type="date"
          label={text.from}
          value={from}
          onChange={event => setFrom(event.target.value)}
        />
        <TextField type="date" label={text.to} value={to} onChange={event => setTo(event.target.value)} />
      </div>
      <p className={css.small}>
        {text.daysHint} {text.personal}
      </p>
      <div className={css.buttons}>
        <DownloadButton
          path={`sites/${id}/export`}
          query={{ format, ...days }}
          name={[domain, 'hits', from, to].filter(Boolean).join('-').concat(`.${format}`)}
          kind="main"
        >
          {text.download}
        </DownloadButton>
      </div>
      <h3>{text.large}</h3>
      <p className={css.small}>{text.largeHint}</p>
      <CodeBlock
        label={text.large}
        code={`npm run -s admin -- export:hits ${options} --file hits.${format}`}
        isWrapped
      />
    </div>
  )
}

function Kinds() {
  const { exports: text } = useText()
  const { id, domain } = useSite()
  return (
    <ul className={css.kinds}>
      {Object.entries(text.kinds).map(([kind, label]) => (
        <li key={kind}>
          <span>{label}</span>
          <DownloadButton path={`sites/${id}/export/${kind}`} name={`${domain}-${kind}.jsonl`} kind="quiet">
            <span className="only-read">{label}: </span>
            {text.download}
          </DownloadButton>
        </li>
      ))}
    </ul>
  )
}
