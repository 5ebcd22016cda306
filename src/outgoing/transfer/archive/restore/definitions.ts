import type { Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import type { SiteKind } from '../names.ts'
import type { OpenedFile } from '../open-archive.ts'
import { restoreText } from '../plain-rows.ts'
import { lineBlocks, type Rows } from './line-blocks.ts'
import { restoreTotalsFamilies, restoreTotalsImports } from './totals.ts'

type RowsOfTeam = Rows & { teamId: string }

/** In the order of their creation, which their numbers keep. */
const restoreGoals = query<Rows>(
  'restore-goals',
  `insert into goals overriding user value
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) with ordinality as line (content, number)
  cross join lateral jsonb_populate_record(
    null::goals, line.content || jsonb_build_object('site_no', :siteNo::int)
  ) as given
  order by line.number`,
)

const restoreFunnels = query<Rows>('restore-funnels', restoreText('funnels'))

/** A personal segment whose owner is not in the team would become one of the site: it is left out. */
const restoreSegments = query<RowsOfTeam>(
  'restore-segments',
  `insert into segments
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  left join users as owner on owner.team_id = :teamId::uuid and owner.email = line ->> 'owner_email'
  left join users as creator on creator.team_id = :teamId::uuid and creator.email = line ->> 'created_by_email'
  cross join lateral jsonb_populate_record(
    null::segments,
    line || jsonb_build_object('site_no', :siteNo::int, 'user_id', owner.id, 'created_by', creator.id)
  ) as given
  where owner.id is not null or line ->> 'owner_email' is null`,
)

const restoreAnnotations = query<RowsOfTeam>(
  'restore-annotations',
  `insert into annotations
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  left join users as creator on creator.team_id = :teamId::uuid and creator.email = line ->> 'created_by_email'
  cross join lateral jsonb_populate_record(
    null::annotations, line || jsonb_build_object('site_no', :siteNo::int, 'created_by', creator.id)
  ) as given`,
)

/** Switched off: a person looks at the addresses first, and the service that they come from may still run. */
const restoreAlerts = query<Rows>(
  'restore-alerts',
  restoreText('alert_rules', {
    values: {
      endpoint_ids: 'jsonb_build_array()',
      is_enabled: 'false',
      active_since: "line -> 'created_at'",
    },
  }),
)

/** Goals come first: funnels, segments and filters name them. */
const RESTORE = {
  goals: restoreGoals,
  funnels: restoreFunnels,
  segments: restoreSegments,
  annotations: restoreAnnotations,
  alerts: restoreAlerts,
  'totals-imports': restoreTotalsImports,
  'totals-families': restoreTotalsFamilies,
}

/** Restores what a site has defined, and which totals were imported. Ids stay. */
export async function restoreDefinitions(
  tx: Transaction,
  site: { siteNo: number; teamId: string },
  filesOf: (kind: SiteKind) => OpenedFile[],
): Promise<void> {
  for (const kind of Object.keys(RESTORE) as (keyof typeof RESTORE)[]) {
    for await (const rows of lineBlocks(filesOf(kind))) await RESTORE[kind](tx, { ...site, rows })
  }
}
