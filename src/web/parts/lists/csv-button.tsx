import { usePlainFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import { DownloadButton } from '../form/download-button.tsx'
import styles from './csv-button.module.css'

interface Props {
  /** Of the API, below the site: `stats/breakdown`. */
  path: string
  /** Input of the read, with `siteKey`; pages are left out, so that the file has all rows. */
  query: Record<string, unknown> & { siteKey: string }
  /** Name of the file, without its ending. */
  name: string
}

/** Saves a list as a CSV file; for readers with a decimal comma also in the form that their spreadsheets open. */
export function CsvButton({ path, query, name }: Props) {
  const { actions } = useText().common
  const { hasDecimalComma } = usePlainFormat()
  const { siteKey, page: _page, per_page: _perPage, ...rest } = query
  const button = (label: string, more: Record<string, string> = {}) => (
    <DownloadButton
      path={`sites/${siteKey}/${path}`}
      query={{ ...rest, ...more }}
      name={`${name}.csv`}
      accept="text/csv"
      kind="quiet"
    >
      {label}
    </DownloadButton>
  )
  return (
    <span className={styles.buttons}>
      {button(actions.download)}
      {hasDecimalComma && button(actions.downloadSemicolon, { csv_delimiter: 'semicolon' })}
    </span>
  )
}
