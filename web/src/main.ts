// The page's entry: starts the session and shows the app.
import { mount } from 'svelte';
import App from './app.svelte';
import { session } from './state/session.svelte.ts';
import './styles/base.css';

const target = document.querySelector('#app');
if (!target) throw new Error('the page has no place for the app');
session.start();
mount(App, { target });
