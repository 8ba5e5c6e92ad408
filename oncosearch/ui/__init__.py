"""The Streamlit interface: texts, address state, cached resources and the parts that pages are made of."""
