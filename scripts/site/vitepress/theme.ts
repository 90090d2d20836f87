import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import { h } from 'vue';
import MoneyDecision from './money-decision.vue';
import './style.css';

/** The default layout hides its footer on pages with a sidebar, and a page may have one footer only. */
const siteLinks = () =>
  h('nav', { class: 'site-links', 'aria-label': 'Site', innerHTML: useData().theme.value.footer.message });

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-after': () => h(siteLinks) }),
  enhanceApp: ({ app }) => {
    app.component('MoneyDecision', MoneyDecision);
  },
} satisfies Theme;
