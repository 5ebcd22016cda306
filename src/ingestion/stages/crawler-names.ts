/**
 * Crawlers, link previews, monitors, test runners and headless browsers whose agents are those of a browser with this name
 * as one more token (`… Safari/537.36 GTmetrix`). A space also stands for a hyphen, an underscore and nothing.
 */
const names = [
  // search engines, AI, previews
  'bingpreview|skypeuripreview|mediapartners google|duplexweb google|playstore google|google adwords\\w*',
  'google (?:ads|adsense|assess|business|favicon|inspection|other|page|physical|publisher|read|safety|search console|sites)\\w*',
  'google(?: web)? preview|googleother|googleweblight|googleadsenseinfeed|googleimageproxy|baidu transcoder|daumoa?|naver\\w*proxy',
  'seznamemailproxy|yahoocachesystem|outbrain|nutch|facebookexternalhit|facebookcatalog|cloudflare(?:observatory|diagnostics)',
  'manus user|devin|amzn user|chatgpt user|claude user|perplexity user|mistralai user|duckassist user|scope3|mixnode|newsai',
  'newsnow|adbeat|archivebox|printfriendly|feeder\\.co|quiterss|monitorss|morningscore|criticalcss|miniature\\.io',
  // monitors and measurement
  'gtmetrix|thousandeyes|debugbear|sitespeed(?:\\.io)?|calibre(?:app)?|updown\\.io|pingdom\\w*|uptrends|statuscake|site24x7',
  'uptimerobot|uptime kuma|betteruptime|better stack|checkly|hetrixtools|freshping|nodeping|oh dear|monitis|alertsite|dejaclick',
  'new relic synthetics?|datadog synthetics?|cloudwatch synthetics?|splunk synthetics?|ruxit\\w*|dynatrace\\w*|synthetics agent',
  'catchpoint|rigor|gomez agent|appinsights|dotcom monitor|yottaamonitor|sucuri\\w*|gotsitemonitor|iplabel|dmbrowser\\w*|hlb|ptst',
  'speedcurve|lighthouse|chrome lighthouse|pagespeed|webpagetest|dareboost|ylt|yellow lab tools|pagevitals|requestmetrics|rumvision',
  'browserstack|lambdatest|sauce labs|sematext|hyperping|uptime\\.com|elastic synthetics|k6 browser|contentking|oncrawl|monsido',
  // test runners, headless browsers, automation
  'percy|chromatic|applitools|eyes sdk|backstopjs|happo|ghost inspector|functionize|testlocally|testcafe|webdriver\\w*|selenium',
  'playwright|puppeteer|cypress|jsdom|happy dom|phantomjs|slimerjs|casperjs|zombie|htmlunit|splash|prerender|rendertron|nightmare',
  'wkhtmlto\\w+|webkit2png|htmltopdf|browserless|convertify|collapsify|pwabuilder\\w*|pa11y|axe core',
  // audits and security scanners
  'siteimprove|sitecheck|silktide|hardenize|securityheaders|onetrust|cookiehub\\w*|cookiebot|datanyze|whatcms|wappalyzer|builtwith',
  'marketgoo|nitro optimizer agent|linktiger|linkcheck|foregenix|hotjar|taginspector|screaming frog\\w*|sitebulb|sqwatcher|ips agent',
  'nikto|openvas\\w*|acunetix\\w*|nessus|qualys\\w*|watchtowr|infrawatch|assetnote|burpcollaborator|netsparker|invicti|zgrab|xtate|jorgee',
  'cybaaagent|readable|sindup|webmoney advisor|dlc|sparkler',
  'brokenlinkcheck|swcd|thumbor',
]

/** Alternatives of a regular expression for lower-case or case-insensitive text. */
export const crawlerNames = names.join('|').replaceAll(' ', '[ _-]?')
