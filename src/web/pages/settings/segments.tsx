import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { FilterSummary, filtersOf } from '../../filters/filter-summary.tsx'
import { Card } from '../../parts/card.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { plainText } from '../../parts/hostile-text.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { SettingRow } from './setting-row.tsx'
import css from './settings.module.css'

type Segment = Outputs['segments']['list'][number]

const VISIBILITIES = ['site', 'personal'] as const satisfies readonly Segment['visibility'][]

/** Segments of the site and one's own. They are made from the filters of a page. */
export function SegmentSettings() {
  const { settings: text } = useText()
  const { id } = useSite()
  const segments = useRead(['segments', id], signal => api.segments.list.query({ siteKey: id }, { signal }))
  return (
    <Card title={text.parts.segments} note={text.segmentsHint}>
      <Answer read={segments}>
        {list =>
          list.length === 0 ? (
            <Empty title={text.noSegments}>
              <Link href="/">{text.toOverview}</Link>
            </Empty>
          ) : (
            <ul className={css.list}>
              {list.map(segment => (
                <SegmentRow key={segment.id} segment={segment} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  )
}

function SegmentRow({ segment }: { segment: Segment }) {
  const { filters, settings: text } = useText()
  const { id, mayChange } = useSite()
  return (
    <SettingRow
      mayChange={mayChange}
      edit={close => <SegmentDialog segment={segment} onClose={close} />}
      remove={{
        title: text.deleteSegment,
        question: text.deleteSegmentQuestion(plainText(segment.name)),
        run: () => api.segments.delete.mutate({ siteKey: id, segment: segment.id }),
        changes: [['segments', id]],
      }}
    >
      <p className={css.name}>
        <bdi>{segment.name}</bdi>
      </p>
      <FilterSummary filters={filtersOf(segment.filters)} />
      <p className={css.small}>
        {[filters.visibilities[segment.visibility], segment.created_by].filter(Boolean).join(' · ')}
      </p>
    </SettingRow>
  )
}

function SegmentDialog({ segment, onClose }: { segment: Segment; onClose(): void }) {
  const { common, filters, settings: text } = useText()
  const { id } = useSite()
  const change = useChange(
    (changes: { name: string; visibility: Segment['visibility'] }) =>
      api.segments.change.mutate({ siteKey: id, segment: segment.id, ...changes }),
    [['segments', id]],
  )
  return (
    <Dialog open title={text.editSegment} onClose={onClose}>
      <Form
        send={common.actions.save}
        isSending={change.isSending}
        failure={change.failure}
        onSend={async ({ name = '', visibility }) => {
          const saved = await change.send({ name, visibility: visibility as Segment['visibility'] })
          if (saved) onClose()
        }}
      >
        <TextField
          name="name"
          label={filters.segmentName}
          defaultValue={segment.name}
          maxLength={120}
          errors={change.failure?.fields.name}
          required
        />
        <SelectField
          name="visibility"
          label={filters.visibility}
          defaultValue={segment.visibility}
          options={VISIBILITIES.map(value => ({ value, label: filters.visibilities[value] }))}
        />
      </Form>
    </Dialog>
  )
}
