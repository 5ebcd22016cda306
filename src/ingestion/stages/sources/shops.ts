import type { Source } from './source.ts'

export const shopping: Source[] = [
  {
    name: 'Google Shopping',
    hosts: ['shopping.google.*', 'merchants.google.com'],
    aliases: ['googleshopping', 'google merchant center'],
  },
  {
    name: 'Amazon',
    hosts: ['*.amazon.*', 'amzn.to', '*.amazon-adsystem.com', 'com.amazon.mShop.android.shopping'],
  },
  { name: 'eBay', hosts: ['*.ebay.*'] },
  { name: 'Etsy', hosts: ['*.etsy.com'] },
  { name: 'Walmart', hosts: ['*.walmart.*'] },
  { name: 'Target', hosts: ['target.com'] },
  { name: 'AliExpress', hosts: ['*.aliexpress.com', '*.aliexpress.us', '*.aliexpress.ru'] },
  { name: 'Alibaba', hosts: ['*.alibaba.com'] },
  { name: 'Temu', hosts: ['*.temu.com'] },
  { name: 'Mercado Libre', hosts: ['*.mercadolibre.*', '*.mercadolivre.*'], aliases: ['mercadolibre'] },
  { name: 'Shopify', hosts: ['*.shopify.com', 'shop.app'] },
  { name: 'Stripe', hosts: ['*.stripe.com'] },
  { name: 'Yahoo! Shopping', hosts: ['*.shopping.yahoo.com', '*.shopping.yahoo.co.jp'] },
  { name: 'Naver Shopping', hosts: ['*.shopping.naver.com'] },
  { name: 'Amazon S3', hosts: ['s3.amazonaws.com'] },
  { name: 'Shopzilla', hosts: ['*.shopzilla.com'] },
  { name: 'Idealo', hosts: ['*.idealo.*'] },
  { name: 'PriceRunner', hosts: ['*.pricerunner.*'] },
  { name: 'IGShopping', aliases: ['ig shopping', 'instagram shopping'] },
]

export const affiliate: Source[] = [
  { name: 'Awin', hosts: ['*.awin1.com', '*.awin.com'] },
  { name: 'Impact', hosts: ['app.impact.com'], aliases: ['impact radius'] },
  { name: 'ShareASale', hosts: ['*.shareasale.com'] },
  {
    name: 'CJ Affiliate',
    hosts: ['*.cj.com', '*.dpbolvw.net', '*.anrdoezrs.net'],
    aliases: ['commission junction'],
  },
  { name: 'Skimlinks', hosts: ['go.skimresources.com'] },
]
