import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource-variable/m-plus-1-code/wght.css';
import '@fontsource-variable/source-serif-4/wght.css';
import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import MoneyDecision from './money-decision.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('MoneyDecision', MoneyDecision);
  },
} satisfies Theme;
