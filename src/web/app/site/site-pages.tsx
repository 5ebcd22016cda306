import { Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import Overview from '../../pages/overview/overview.tsx'
import { Empty, Skeleton } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { NotFound } from '../message-pages.tsx'
import { SITE_PAGES } from './pages-of-site.ts'
import { SiteLayout } from './site-layout.tsx'

const Money = lazyPage(() => import('../../pages/money/money.tsx'))
const Customer = lazyPage(() => import('../../pages/money/customer.tsx'))
const ConnectStripe = lazyPage(() => import('../../pages/money/connect-stripe.tsx'))
const Funnels = lazyPage(() => import('../../pages/funnels/funnels.tsx'))
const Journeys = lazyPage(() => import('../../pages/journeys/journeys.tsx'))
const Retention = lazyPage(() => import('../../pages/retention/retention.tsx'))
const WebVitals = lazyPage(() => import('../../pages/web-vitals/web-vitals.tsx'))
const People = lazyPage(() => import('../../pages/people/people.tsx'))
const PersonPage = lazyPage(() => import('../../pages/people/person.tsx'))
const Session = lazyPage(() => import('../../pages/people/session.tsx'))
const Events = lazyPage(() => import('../../pages/events/events.tsx'))
const Titles = lazyPage(() => import('../../pages/titles/titles.tsx'))
const Errors = lazyPage(() => import('../../pages/errors/errors.tsx'))
const ErrorPage = lazyPage(() => import('../../pages/errors/error.tsx'))
const Live = lazyPage(() => import('../../pages/live/live.tsx'))
const Goals = lazyPage(() => import('../../pages/goals/goals.tsx'))
const Install = lazyPage(() => import('../../pages/install/install.tsx'))
const Settings = lazyPage(() => import('../../pages/settings/settings.tsx'))

/** The pages of a site. Addresses are relative to that of the site, for members, shares and frames alike. */
export function SitePages() {
  const site = useSite()
  const { isMember } = site
  const { states } = useText().common
  const [path] = useLocation()
  const page = SITE_PAGES.find(each => each.path !== '' && path.split('/')[1] === each.path)
  const isShown = page === undefined || page.needs === 'member' || site.can(page.needs)
  return (
    <SiteLayout>
      {isShown ? (
        <Suspense fallback={<Skeleton rows={10} />}>
          <Switch>
            <Route path="/" component={Overview} />
            <Route path="/money" component={Money} />
            <Route path="/money/customers/:customer" component={Customer} />
            <Route path="/funnels" component={Funnels} />
            <Route path="/journeys" component={Journeys} />
            <Route path="/retention" component={Retention} />
            <Route path="/web-vitals" component={WebVitals} />
            <Route path="/people" component={People} />
            <Route path="/people/:person" component={PersonPage} />
            <Route path="/sessions/:session" component={Session} />
            <Route path="/events" component={Events} />
            <Route path="/titles" component={Titles} />
            <Route path="/errors" component={Errors} />
            <Route path="/errors/:error" component={ErrorPage} />
            <Route path="/live" component={Live} />
            <Route path="/goals" component={Goals} />
            {isMember && <Route path="/install" component={Install} />}
            {isMember && <Route path="/connect-stripe" component={ConnectStripe} />}
            {isMember && <Route path="/settings/:part?" component={Settings} />}
            <Route>
              <NotFound isGuest={!isMember} />
            </Route>
          </Switch>
        </Suspense>
      ) : (
        <Empty title={states.notShared} />
      )}
    </SiteLayout>
  )
}
